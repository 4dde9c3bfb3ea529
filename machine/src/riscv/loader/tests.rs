// SPDX-License-Identifier: Apache-2.0
//! What is loaded where, and what is refused.
