// SPDX-License-Identifier: Apache-2.0
//! What the options connect the guest's network interface to.

use std::path::Path;

use switchyard_machine::arch::{Architecture, Processor};
use switchyard_machine::arm::Arm;
use switchyard_machine::board::Board;
use switchyard_machine::config::{MachineConfig, ProcessorConfig};
use switchyard_machine::dev::network::Mac;
use switchyard_machine::ia32::Ia32;
use switchyard_machine::loader::{self, Boot};
use switchyard_machine::machine::Machine;
use switchyard_machine::net::{self, Address, Cable, Pair};

use crate::args::{parsed, BootArgs};
use crate::origin::described_with;
use crate::terminal::{self, Network};

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
        return match peer.processor {
            ProcessorConfig::Arm(_) => pair::<_, Arm>(args, image, machine, config, &peer, board),
            ProcessorConfig::Ia32(_) => pair::<_, Ia32>(args, image, machine, config, &peer, board),
        };
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
    let expected = "a machine with the board versatile or isa-pc";
    Err(format!("{option}: {what}; expected {expected}"))
}

/// Makes the machine that `peer` describes, loads `image` and connects `machine` to it.
fn pair<P: Processor, A: Architecture>(
    args: &BootArgs,
    image: &Path,
    machine: &mut Machine<P>,
    config: &MachineConfig,
    peer: &MachineConfig,
    board: &'static Board,
) -> Result<Network, String>
where
    A::Core<()>: 'static,
{
    let mut second = Machine::<A::Core<()>>::new(peer, (board.parts)(peer.ram_bytes), ());
    must_have_network(&format!("--peer-machine {}", peer.name), &mut second, peer)?;
    second.bus().host.net.mac = Mac::LISTENER;
    let system = Boot {
        kernel: image,
        append: args.peer_append.as_deref(),
        initrd: None,
        dtb: None,
        load_address: None,
    };
    let start = loader::load(&system, peer, board, second.bus());
    let start = start.map_err(|error| error.to_string())?;
    second.core().start(start.pc, &start.registers);
    let clocks = (config.clock_hz, peer.clock_hz);
    let pair = Pair::plug(machine, second, clocks, terminal::say);
    Ok(Network::Pair(pair))
}
