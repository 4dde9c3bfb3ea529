// SPDX-License-Identifier: Apache-2.0
//! Writes the seeds to `corpus/TARGET/`, where `cargo fuzz` begins.

use std::{fs, io, path::Path};

fn main() -> io::Result<()> {
    for (target, _) in switchyard_fuzz::TARGETS {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("corpus")
            .join(target);
        fs::create_dir_all(&corpus)?;
        for (number, seed) in switchyard_fuzz::seeds(target).iter().enumerate() {
            fs::write(corpus.join(format!("seed-{number}")), seed)?;
        }
    }
    Ok(())
}
