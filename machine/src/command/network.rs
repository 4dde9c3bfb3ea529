// SPDX-License-Identifier: Apache-2.0
//! What the options connect the guest's network interface to.

use std::path::Path;

use crate::arch::{Architecture, Processor};
use crate::board::Board;
use crate::config::MachineConfig;
use crate::dev::network::Mac;
use crate::loader::Boot;
use crate::machine::Machine;
use crate::net::{self, Address, Cable, Pair};
use crate::registry::{self, Registry, Task};

use super::args::{parsed, BootArgs};
use super::origin::described_with;
use super::terminal::{self, Network};

/// Gives the network interface its address, and connects it if that is asked for.
pub fn plug<P: Processor>(
    args: &BootArgs,
    machine: &mut Machine<P>,
    config: &MachineConfig,
) -> Result<Network, String> {
    let net: Option<Address> = parsed("--net", args.net.as_deref())?;
    let listens = net.as_ref().is_some_and(Address::listens);
    let own = if listens {
        Mac::LISTENER
    } else {
        Mac::default()
    };
    let mac = parsed("--mac", args.mac.as_deref())?;
    let peer = args.peer.as_ref().map(|file| file.display().to_string());
    let options = [
        ("--net", &args.net),
        ("--mac", &args.mac),
        ("--peer", &peer),
    ];
    for (argument, text) in options {
        if let Some(text) = text {
            must_have_network(&format!("{argument} {text}"), machine, config)?;
        }
    }
    machine.bus().host.net.mac = mac.unwrap_or(own);
    if let Some(image) = &args.peer {
        let named = args.peer_machine.as_deref().or(args.machine.as_deref());
        // One like the first has as much memory.
        let ram = args.ram.filter(|_| args.peer_machine.is_none());
        let (peer, board) = described_with(named.unwrap_or_default(), ram)?;
        let peer = Peer {
            config: &peer,
            board,
            image,
            append: args.peer_append.as_deref(),
        };
        return registry::dispatch(
            peer.config,
            Pairing {
                machine,
                config,
                peer,
            },
        );
    }
    let Some(address) = net else {
        return Ok(Network::Unplugged);
    };
    let wire = net::open(&address, terminal::say)?;
    let cable = Cable::plug(wire, machine, config.clock_hz, terminal::say);
    Ok(Network::Cable(cable))
}

/// Refuses `option` for a machine that has no network interface.
fn must_have_network<P: Processor>(
    option: &str,
    machine: &mut Machine<P>,
    config: &MachineConfig,
) -> Result<(), String> {
    if machine.bus().has_network() {
        return Ok(());
    }
    let what = format!("machine {} has no network interface", config.name);
    let registry = Registry::every();
    let boards = registry.boards().filter(|board| board.has_network());
    let boards: Vec<&str> = boards.map(|board| board.name).collect();
    let boards = boards.join(" or ");
    Err(format!(
        "{option}: {what}; expected a machine with the board {boards}"
    ))
}

/// A second machine, and what it is to boot.
struct Peer<'a> {
    config: &'a MachineConfig,
    board: &'static Board,
    image: &'a Path,
    append: Option<&'a str>,
}

/// Makes the peer, loads its kernel and connects the machine to it.
struct Pairing<'a, P: Processor> {
    machine: &'a mut Machine<P>,
    config: &'a MachineConfig,
    peer: Peer<'a>,
}

impl<P: Processor> Task for Pairing<'_, P> {
    type Output = Result<Network, String>;

    fn on<A: Architecture>(self) -> Self::Output {
        let Peer {
            config: peer,
            board,
            image,
            append,
        } = self.peer;
        let mut second = Machine::<A::Core<()>>::new(peer, (board.parts)(peer.ram_bytes), ());
        must_have_network(&format!("--peer-machine {}", peer.name), &mut second, peer)?;
        second.bus().host.net.mac = Mac::LISTENER;
        let system = Boot {
            kernel: image,
            append,
            initrd: None,
            dtb: None,
            load_address: None,
            bios: None,
        };
        let start = A::load(&system, peer, board, second.bus());
        let start = start.map_err(|error| error.to_string())?;
        second.core().start(start.pc, &start.registers);
        let clocks = (self.config.clock_hz, peer.clock_hz);
        let pair = Pair::plug(self.machine, second, clocks, terminal::say);
        Ok(Network::Pair(pair))
    }
}
