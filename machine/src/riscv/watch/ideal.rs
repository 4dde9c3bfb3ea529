//! What it is compared with.
