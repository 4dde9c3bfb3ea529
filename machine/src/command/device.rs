// SPDX-License-Identifier: Apache-2.0
//! `--device`: what is plugged into a board that has a place for it, in QEMU's words.

use crate::arch::Processor;
use crate::config::MachineConfig;
use crate::dev::virtio::CONSOLE;
use crate::machine::Machine;

use super::args::BootArgs;

/// Keys of QEMU that say how it goes about it: to where, and by which name.
const KEYS: [&str; 5] = ["chardev", "id", "name", "bus", "max_ports"];

/// Plugs what the options name into the machine, which has not run yet.
pub fn plug<P: Processor>(
    args: &BootArgs,
    config: &MachineConfig,
    machine: &mut Machine<P>,
) -> Result<(), String> {
    let mut port = None;
    for spec in &args.device {
        let wrong = |what: &str, expected: &str| {
            Err(format!("--device {spec}: {what}; expected {expected}"))
        };
        let mut parts = spec.split(',');
        let name = parts.next().unwrap_or_default();
        let unknown = parts.find(|part| {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            !KEYS.contains(&key) || value.is_empty()
        });
        if let Some(part) = unknown {
            return wrong(
                &format!("`{part}` is not known"),
                "chardev=NAME, id=NAME, name=NAME, bus=NAME or max_ports=NUMBER",
            );
        }
        match (name, port) {
            ("virtio-serial-device", None) => {
                port = machine.bus().plug_serial_port(CONSOLE);
                if port.is_none() {
                    let none = format!("{} has no VIRTIO devices", config.name);
                    return wrong(&none, "a machine that has");
                }
            }
            ("virtio-serial-device", Some(_)) => return wrong("is there already", "one"),
            ("virtconsole", None) => {
                return wrong(
                    "has no bus to be on",
                    "--device virtio-serial-device before it",
                )
            }
            ("virtconsole", Some(name)) => {
                let host = &mut machine.bus().host;
                if host.console == name {
                    return wrong("is there already", "one");
                }
                host.beside = std::mem::replace(&mut host.console, name);
            }
            _ => return wrong("is not known", "virtio-serial-device, virtconsole"),
        }
    }
    Ok(())
}
