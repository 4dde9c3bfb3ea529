// SPDX-License-Identifier: Apache-2.0
//! The command line, as clap reads it.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::event::Cycle;

use super::quantity;
use super::NAME;

/// Simulated machines for operating systems on processors with expensive address-space switches.
#[derive(Parser)]
#[command(name = NAME, version)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// List the machine descriptions, or say of one what of it is assumed.
    Machines {
        /// That machine only: a name, or a machine file.
        machine: Option<String>,
        /// As a JSON list of objects.
        #[arg(long)]
        json: bool,
    },
    /// Run a system; its console is this terminal.
    Boot(Box<BootArgs>),
    /// Answer architectural test vectors from stdin on stdout.
    Vectors {
        /// A machine's name, or a machine file that ends in .toml.
        #[arg(long, default_value = "sa1110")]
        machine: String,
        /// Run the streams through MMU, caches and write buffer; the answers are the same.
        #[arg(long)]
        caches: bool,
    },
}

#[derive(Args)]
pub struct BootArgs {
    /// A machine's name, or a machine file that ends in .toml.
    #[arg(long, required_unless_present = "restore")]
    pub machine: Option<String>,
    /// So much memory in place of the machine's own: bytes, or with K, M or G after.
    #[arg(long, value_name = "SIZE", value_parser = quantity::size)]
    pub ram: Option<u32>,
    /// An ELF executable; for ARM and RISC-V boards also a raw image, for ARM's a U-Boot image, S-records or
    /// Intel's hexadecimal records, for a PC a bzImage. Each may be compressed by gzip.
    #[arg(long, required_unless_present_any = ["restore", "bios"])]
    pub kernel: Option<PathBuf>,
    /// Firmware that starts the kernel of a RISC-V machine: a file, none, or default (also without this option),
    /// Debian's OpenSBI.
    #[arg(long, value_name = "FILE")]
    pub bios: Option<PathBuf>,
    /// A property of a device class, as QEMU's option has it: virtio-mmio.force-legacy=false (or true, which it is
    /// without this option).
    #[arg(long, value_name = "PROPERTY")]
    pub global: Vec<String>,
    /// A device, in QEMU's words: virtio-serial-device, and with it virtconsole, which is the console then; what
    /// the serial port says is shown, too.
    #[arg(long, value_name = "DEVICE")]
    pub device: Vec<String>,
    /// The kernel's command line.
    #[arg(long, allow_hyphen_values = true)]
    pub append: Option<String>,
    /// An initial RAM disk; for a Multiboot kernel modules with commas between them (in a name: two), each
    /// with words after a space.
    #[arg(long)]
    pub initrd: Option<PathBuf>,
    /// A device tree (DTB), for kernels that want one instead of boot tags.
    #[arg(long)]
    pub dtb: Option<PathBuf>,
    /// Load a raw image at this address, in place of 64 KB into memory (a zImage: 32 KB).
    #[arg(long, value_name = "ADDR", value_parser = quantity::address)]
    pub load_address: Option<u32>,
    /// Go on from this file, which --save has written, in place of loading a kernel.
    #[arg(long, conflicts_with_all = ["kernel", "bios", "append", "initrd", "dtb", "load_address", "semihosting"])]
    pub restore: Option<PathBuf>,
    /// Serve the semihosting calls of an ARM (SVC 0x123456, in Thumb state 0xab): console, time, exit
    /// status. They open no files.
    #[arg(long)]
    pub semihosting: bool,
    /// End with the guest's own exit status, 0 to 255, and no word about it.
    #[arg(long)]
    pub pass_status: bool,
    /// Write the whole machine to this file when the run ends.
    #[arg(long)]
    pub save: Option<PathBuf>,
    /// End the run after so many cycles.
    #[arg(long, allow_negative_numbers = true, value_parser = quantity::cycles)]
    pub max_cycles: Option<Cycle>,
    /// Interpret every instruction. Otherwise hot ones run as code of the host, where nothing is observed
    /// (by a log, trace, profile, window, check or debugger): every count is the same, sooner.
    #[arg(long)]
    pub no_translation: bool,
    /// Write statistics (JSON) to this file.
    #[arg(long)]
    pub stats: Option<PathBuf>,
    /// Write what the machine's display shows at the end (PNG) to this file.
    #[arg(long)]
    pub screen: Option<PathBuf>,
    /// Write the host's time of the run (JSON) to this file.
    #[arg(long)]
    pub host_time: Option<PathBuf>,
    /// Write one line an instruction to this file.
    #[arg(long)]
    pub log: Option<PathBuf>,
    /// Write a timeline, which ui.perfetto.dev opens, to this file.
    #[arg(long)]
    pub trace: Option<PathBuf>,
    /// Say where the cycles of regions of interest went, by function and cause: in the statistics, or
    /// without --stats in a table at the end, which has the whole run if there is no region.
    #[arg(long)]
    pub profile: bool,
    /// Write the same by who called whom to this file, for www.speedscope.app.
    #[arg(long)]
    pub speedscope: Option<PathBuf>,
    /// Write it for KCachegrind and callgrind_annotate.
    #[arg(long)]
    pub callgrind: Option<PathBuf>,
    /// Write how often each instruction of regions of interest was executed (CSV) to this file.
    #[arg(long)]
    pub counts: Option<PathBuf>,
    /// Write what each instruction between two moments changes and costs (JSON) to this file, and
    /// end the run there.
    #[arg(long)]
    pub window: Option<PathBuf>,
    /// Begin the window at the last of these moments: a cycle, region:N, sample:N, event:N, user,
    /// kernel, exception:NAME, an address or a function, and *N after it for the Nth time.
    #[arg(long, value_name = "MOMENT", requires = "window")]
    pub from: Vec<String>,
    /// Take the first window within which these moments come.
    #[arg(long, value_name = "MOMENT", requires = "window")]
    pub having: Vec<String>,
    /// End the window at the last of these moments.
    #[arg(long, value_name = "MOMENT", requires = "window")]
    pub to: Vec<String>,
    /// End the window after so many steps at the latest.
    #[arg(long, value_name = "N", requires = "window", default_value_t = 20_000,
          allow_negative_numbers = true, value_parser = quantity::steps)]
    pub steps: usize,
    /// Name places in --log, --trace, profiles and findings of --check by the functions of this ELF file (may be repeated).
    #[arg(long, value_name = "ELF")]
    pub symbols: Vec<PathBuf>,
    /// Compare each access with an ideal machine's (`coherence`) and report what was forgotten.
    #[arg(long)]
    pub check: Option<Check>,
    /// Wait at HOST:PORT, or :PORT of this computer, for GDB; the machine starts stopped.
    #[arg(long, value_name = "ADDR")]
    pub gdb: Option<String>,
    /// Connect the network interface: unix:PATH, listen-unix:PATH, tcp:HOST:PORT or
    /// listen-tcp:HOST:PORT.
    #[arg(long, value_name = "ADDR")]
    pub net: Option<String>,
    /// The address of the network interface, such as 02:53:59:42:00:07.
    #[arg(long, value_name = "ADDR")]
    pub mac: Option<String>,
    /// Start this image on a second machine at the other end of the cable, in step with the first.
    #[arg(long, value_name = "KERNEL", conflicts_with_all = ["net", "gdb", "save", "restore"])]
    pub peer: Option<PathBuf>,
    /// The second machine: a name, or a machine file; without it, one like the first.
    #[arg(long, value_name = "MACHINE", requires = "peer")]
    pub peer_machine: Option<String>,
    /// Its kernel's command line.
    #[arg(
        long,
        value_name = "WORDS",
        requires = "peer",
        allow_hyphen_values = true
    )]
    pub peer_append: Option<String>,
    /// A memory card or disk with what is in this file, into which the run writes when it ends; also as
    /// QEMU has it: if=sd,file=FILE,format=raw, and snapshot=on to write nothing (the second is for the
    /// second slot).
    #[arg(long, value_name = "FILE")]
    pub drive: Vec<String>,
    /// Type the contents of this file on the console; one that begins with `#!expect` is a script.
    #[arg(long)]
    pub input: Option<PathBuf>,
    /// Write what comes from outside (keys, --input, the network) with its cycles to this file.
    #[arg(long, conflicts_with_all = ["gdb", "peer"])]
    pub record: Option<PathBuf>,
    /// Take it from that file: the run is the recorded one again.
    #[arg(long, conflicts_with_all = ["record", "input", "net", "mac", "peer", "console"])]
    pub replay: Option<PathBuf>,
    /// The console is this serial port of the machine; without it, the first.
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = quantity::port)]
    pub console: Option<u32>,
}

/// What can be checked.
#[derive(Clone, Copy, ValueEnum)]
pub enum Check {
    /// Caches, TLBs and write buffer: `check/`.
    Coherence,
}

/// The files that the options name, the written ones first, and how many these are.
pub fn files(args: &BootArgs) -> (Vec<(&'static str, &Path)>, usize) {
    let stats = args.stats.as_deref().filter(|f| *f != Path::new("-"));
    let written = [
        ("--stats", stats),
        ("--screen", args.screen.as_deref()),
        ("--host-time", args.host_time.as_deref()),
        ("--log", args.log.as_deref()),
        ("--trace", args.trace.as_deref()),
        ("--speedscope", args.speedscope.as_deref()),
        ("--callgrind", args.callgrind.as_deref()),
        ("--counts", args.counts.as_deref()),
        ("--window", args.window.as_deref()),
        ("--save", args.save.as_deref()),
        ("--record", args.record.as_deref()),
    ];
    let machine = args.machine.as_deref().filter(|m| m.ends_with(".toml"));
    let named = |bios: &&Path| *bios != Path::new("none") && *bios != Path::new("default");
    let bios = args.bios.as_deref().filter(named);
    let read = [
        ("--kernel", args.kernel.as_deref()),
        ("--bios", bios),
        ("--initrd", args.initrd.as_deref()),
        ("--dtb", args.dtb.as_deref()),
        ("--restore", args.restore.as_deref()),
        ("--input", args.input.as_deref()),
        ("--replay", args.replay.as_deref()),
        ("--peer", args.peer.as_deref()),
        ("--machine", machine.map(Path::new)),
    ];
    let mut files: Vec<(&'static str, &Path)> = Vec::new();
    files.extend(
        written
            .into_iter()
            .filter_map(|(option, file)| Some((option, file?))),
    );
    let count = files.len();
    files.extend(
        read.into_iter()
            .filter_map(|(option, file)| Some((option, file?))),
    );
    files.extend(
        args.symbols
            .iter()
            .map(|file| ("--symbols", file.as_path())),
    );
    (files, count)
}

pub fn parsed<T: FromStr<Err = String>>(
    argument: &str,
    text: Option<&str>,
) -> Result<Option<T>, String> {
    let parse = |text: &str| text.parse();
    let wrong = |text: &str, error| format!("{argument} {text}: {error}");
    text.map(|text| parse(text).map_err(|error| wrong(text, error)))
        .transpose()
}
