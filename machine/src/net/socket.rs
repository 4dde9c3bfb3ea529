// SPDX-License-Identifier: Apache-2.0
//! A cable that is a stream socket, with the frames of `framing.rs`.
//!
//! Two threads: one reads, and waits for the next peer where the address is one to listen at; one
//! writes. Between them and the machine stand queues of bounded length, so that neither a peer
//! that sends without end nor one that does not read can fill memory or stop the machine.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{read_frame, write_frame, Address, Event, Wire};

/// Frames that may wait in either direction.
const QUEUE: usize = 256;
/// How long a peer that is to be connected to may take to be there: two programs that are started
/// together need not be started in order.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long what was sent last may take to get out at the end of the run.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Opens the wire of `address`; waits for the other end. `say` is for messages.
///
/// # Errors
/// One line that says what is wrong with it.
pub fn open(address: &Address, say: fn(&str)) -> Result<Box<dyn Wire>, String> {
    let wrong = |error: io::Error, expected: &str| {
        format!("--net {address}: {}; expected {expected}", plain(&error))
    };
    let to_listen = "an address of this computer that is free";
    let (stream, listener) = match address {
        Address::Unix(path) => (patiently(|| connect_unix(path)), None),
        Address::Tcp(place) => (patiently(|| connect_tcp(place)), None),
        Address::ListenUnix(path) => {
            let listener = listen_unix(path).map_err(|error| wrong(error, to_listen))?;
            first_of(listener, address, say)
        }
        Address::ListenTcp(place) => {
            let listener = TcpListener::bind(place).map_err(|error| wrong(error, to_listen))?;
            // Port 0 takes one that is free: says which.
            let bound = listener.local_addr().map(|at| at.to_string());
            let bound = Address::ListenTcp(bound.unwrap_or_else(|_| place.clone()));
            first_of(Listener::Tcp(listener), &bound, say)
        }
    };
    let stream = stream.map_err(|error| wrong(error, "somebody who listens there"))?;
    Ok(Box::new(SocketWire::new(stream, listener)))
}

/// The host's message without Rust's "(os error 2)".
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let end = text.find(" (os error").unwrap_or(text.len());
    text[..end].to_string()
}

fn patiently(connect: impl Fn() -> io::Result<Stream>) -> io::Result<Stream> {
    let began = Instant::now();
    loop {
        match connect() {
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::NotFound | ErrorKind::ConnectionRefused
                ) && began.elapsed() < PATIENCE =>
            {
                thread::sleep(Duration::from_millis(20));
            }
            done => return done,
        }
    }
}

fn connect_unix(path: &Path) -> io::Result<Stream> {
    UnixStream::connect(path).map(Stream::Unix)
}

fn connect_tcp(place: &str) -> io::Result<Stream> {
    let stream = TcpStream::connect(place)?;
    stream.set_nodelay(true)?;
    Ok(Stream::Tcp(stream))
}

/// Listens at `path`. A socket that a run before has left, and at which nobody listens, goes.
fn listen_unix(path: &Path) -> io::Result<Listener> {
    let refused = |error: &io::Error| error.kind() == ErrorKind::ConnectionRefused;
    let socket = path
        .metadata()
        .is_ok_and(|file| file.file_type().is_socket());
    if socket && UnixStream::connect(path).is_err_and(|error| refused(&error)) {
        std::fs::remove_file(path)?;
    }
    let listener = UnixListener::bind(path)?;
    Ok(Listener::Unix(listener, path.to_path_buf()))
}

fn first_of(
    listener: Listener,
    address: &Address,
    say: fn(&str),
) -> (io::Result<Stream>, Option<Listener>) {
    say(&format!("--net {address}: waiting for the other end"));
    (listener.accept(), Some(listener))
}

/// Where peers connect to.
enum Listener {
    Unix(UnixListener, PathBuf),
    Tcp(TcpListener),
}

impl Listener {
    fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Unix(listener, _) => Ok(Stream::Unix(listener.accept()?.0)),
            Self::Tcp(listener) => {
                let stream = listener.accept()?.0;
                stream.set_nodelay(true)?;
                Ok(Stream::Tcp(stream))
            }
        }
    }

    /// The file that stands for it.
    fn file(&self) -> Option<PathBuf> {
        match self {
            Self::Unix(_, path) => Some(path.clone()),
            Self::Tcp(_) => None,
        }
    }
}

/// A connected socket.
enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Stream {
    fn shut(&self) {
        let _ = match self {
            Self::Unix(stream) => stream.shutdown(Shutdown::Both),
            Self::Tcp(stream) => stream.shutdown(Shutdown::Both),
        };
    }
}

impl Read for &Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => (&*stream).read(buffer),
            Stream::Tcp(stream) => (&*stream).read(buffer),
        }
    }
}

impl Write for &Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => (&*stream).write(bytes),
            Stream::Tcp(stream) => (&*stream).write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The peer of the moment.
type Peer = Arc<Mutex<Option<Arc<Stream>>>>;

fn peer_of(peer: &Peer) -> Option<Arc<Stream>> {
    peer.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The machine's side of the two threads.
struct SocketWire {
    events: Receiver<Event>,
    frames: Option<SyncSender<Vec<u8>>>,
    /// Ends when the writer has.
    written: Receiver<()>,
    peer: Peer,
    file: Option<PathBuf>,
    open: bool,
}

impl SocketWire {
    fn new(stream: Stream, listener: Option<Listener>) -> Self {
        let peer: Peer = Arc::new(Mutex::new(None));
        let file = listener.as_ref().and_then(Listener::file);
        let (to_machine, events) = mpsc::sync_channel(QUEUE);
        let (frames, to_write) = mpsc::sync_channel(QUEUE);
        let (writing, written) = mpsc::channel();
        let stream = Arc::new(stream);
        set(&peer, Some(stream.clone()));
        let its_peer = peer.clone();
        thread::spawn(move || read_peers(stream, listener.as_ref(), &its_peer, &to_machine));
        let its_peer = peer.clone();
        thread::spawn(move || {
            let _ends_with_this: mpsc::Sender<()> = writing;
            write_frames(&to_write, &its_peer);
        });
        Self {
            events,
            frames: Some(frames),
            written,
            peer,
            file,
            open: true,
        }
    }
}

fn set(peer: &Peer, stream: Option<Arc<Stream>>) {
    *peer.lock().unwrap_or_else(PoisonError::into_inner) = stream;
}

/// Reads one peer after the other, until there is no further or the machine has gone.
fn read_peers(
    first: Arc<Stream>,
    listener: Option<&Listener>,
    peer: &Peer,
    events: &SyncSender<Event>,
) {
    let mut stream = first;
    loop {
        let why = loop {
            match read_frame(&mut &*stream) {
                Ok(Some(frame)) => {
                    if events.send(Event::Frame(frame)).is_err() {
                        return;
                    }
                }
                Ok(None) => break "the other end has closed the connection".to_string(),
                Err(error) => break plain(&error),
            }
        };
        stream.shut();
        set(peer, None);
        if events.send(Event::Down(why)).is_err() {
            return;
        }
        let Some(Ok(next)) = listener.map(Listener::accept) else {
            return;
        };
        stream = Arc::new(next);
        set(peer, Some(stream.clone()));
        if events.send(Event::Up).is_err() {
            return;
        }
    }
}

/// Writes frames to whoever is there, until there will be none.
fn write_frames(frames: &Receiver<Vec<u8>>, peer: &Peer) {
    for frame in frames {
        let Some(stream) = peer_of(peer) else {
            continue;
        };
        if write_frame(&mut &*stream, &frame).is_err() {
            stream.shut(); // which the reader notices
        }
    }
}

impl Wire for SocketWire {
    fn send(&mut self, frame: &[u8]) -> bool {
        let frames = self.frames.as_ref();
        frames.is_some_and(|frames| frames.try_send(frame.to_vec()).is_ok())
    }

    fn receive(&mut self, patience: Duration) -> Option<Event> {
        match self.events.recv_timeout(patience) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                self.open = false;
                None
            }
        }
    }

    fn open(&self) -> bool {
        self.open
    }
}

impl Drop for SocketWire {
    fn drop(&mut self) {
        self.frames = None;
        let _ = self.written.recv_timeout(LAST_WORDS);
        if let Some(stream) = peer_of(&self.peer) {
            stream.shut();
        }
        if let Some(file) = &self.file {
            let _ = std::fs::remove_file(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("switchyard-net-{}-{name}", std::process::id()))
    }

    fn quiet(_: &str) {}

    /// A wire at which a test's own socket is the other end.
    fn wired() -> (SocketWire, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        (SocketWire::new(Stream::Unix(ours), None), theirs)
    }

    fn next(wire: &mut dyn Wire) -> Option<Event> {
        wire.receive(Duration::from_secs(10))
    }

    #[test]
    fn two_wires_meet_whoever_comes_first() {
        let path = place("meet");
        let listens = Address::ListenUnix(path.clone());
        let connects = Address::Unix(path.clone());
        let other = thread::spawn(move || open(&connects, quiet).unwrap());
        let mut a = open(&listens, quiet).unwrap();
        let mut b = other.join().unwrap();
        assert!(a.send(b"one") && a.send(b"two") && b.send(b"three"));
        assert_eq!(next(&mut *b), Some(Event::Frame(b"one".to_vec())));
        assert_eq!(next(&mut *b), Some(Event::Frame(b"two".to_vec())));
        assert_eq!(next(&mut *a), Some(Event::Frame(b"three".to_vec())));
        // one who leaves says so, and what it sent last arrives; another may come
        assert!(b.send(b"last"));
        drop(b);
        assert_eq!(next(&mut *a), Some(Event::Frame(b"last".to_vec())));
        assert!(matches!(next(&mut *a), Some(Event::Down(why)) if why.contains("closed")));
        let c = UnixStream::connect(&path).unwrap();
        assert_eq!(next(&mut *a), Some(Event::Up));
        assert!(a.send(b"hello"));
        assert_eq!(read_frame(&mut &c).unwrap().unwrap(), b"hello");
        drop(a);
        assert!(!path.exists());
    }

    #[test]
    fn tcp_does_the_same() {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let listens: Address = format!("listen-tcp::{port}").parse().unwrap();
        let connects: Address = format!("tcp:127.0.0.1:{port}").parse().unwrap();
        let other = thread::spawn(move || open(&connects, quiet).unwrap());
        let mut a = open(&listens, quiet).unwrap();
        let mut b = other.join().unwrap();
        assert!(a.send(&[7; 1514]));
        assert_eq!(next(&mut *b), Some(Event::Frame(vec![7; 1514])));
    }

    #[test]
    fn a_bad_length_ends_the_connection_and_says_why() {
        let (mut wire, mut peer) = wired();
        peer.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
        let event = next(&mut wire);
        assert!(
            matches!(&event, Some(Event::Down(why)) if why.contains("1195725856 bytes")),
            "{event:?}"
        );
        assert_eq!(next(&mut wire), None);
        assert!(!wire.open());
        // closed, or reset as it had more to say
        assert!(!matches!(peer.read(&mut [0; 1]), Ok(1)));
    }

    #[test]
    fn a_peer_that_does_not_read_neither_stops_the_machine_nor_fills_memory() {
        let (mut wire, peer) = wired();
        let began = Instant::now();
        let sent = (0..100_000).filter(|_| wire.send(&[0; 1514])).count();
        assert!(sent < 10_000, "{sent} frames taken");
        assert!(began.elapsed() < Duration::from_secs(10));
        drop(peer);
        assert!(matches!(next(&mut wire), Some(Event::Down(_))));
    }

    #[test]
    fn a_peer_that_sends_without_end_waits() {
        let (mut wire, peer) = wired();
        peer.set_write_timeout(Some(Duration::from_millis(200)))
            .unwrap();
        let taken = (0..100_000).take_while(|_| write_frame(&mut &peer, &[1; 1514]).is_ok());
        assert!(taken.count() < 10_000);
        assert_eq!(next(&mut wire), Some(Event::Frame(vec![1; 1514])));
    }

    #[test]
    fn mistakes_are_named() {
        let nowhere = Address::Unix("/nowhere/net.sock".into());
        let line = open(&nowhere, quiet).err().unwrap();
        assert_eq!(
            line,
            "--net unix:/nowhere/net.sock: No such file or directory; \
             expected somebody who listens there"
        );
        let line = open(&Address::ListenUnix("/nowhere/net.sock".into()), quiet)
            .err()
            .unwrap();
        assert!(
            line.ends_with("expected an address of this computer that is free"),
            "{line}"
        );
        // a plain file is not removed
        let path = place("file");
        std::fs::write(&path, "precious").unwrap();
        assert!(open(&Address::ListenUnix(path.clone()), quiet).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
        std::fs::remove_file(&path).unwrap();
    }
}
