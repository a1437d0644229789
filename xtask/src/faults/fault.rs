//! Disturbances of a command.

use std::time::Duration;

/// A way to disturb a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    /// `kill -9`: nothing in the command can answer.
    Kill,
    /// SIGTERM.
    Term,
    /// SIGHUP, of a terminal that is closed.
    Hangup,
    /// SIGINT, of Ctrl-C.
    Interrupt,
    /// Ctrl-C, and again at once.
    Twice,
    /// A limit on the size of files.
    FileSize,
    /// A limit on memory.
    Memory,
    /// A file system without room.
    FullDisk,
    /// An output that is a device without room.
    FullDevice,
    /// A reader who leaves.
    BrokenPipe,
    /// The same command at the same time.
    Rival,
}

impl Fault {
    /// All of them.
    pub(super) const ALL: [Self; 11] = [
        Self::Kill,
        Self::Term,
        Self::Hangup,
        Self::Interrupt,
        Self::Twice,
        Self::FileSize,
        Self::Memory,
        Self::FullDisk,
        Self::FullDevice,
        Self::BrokenPipe,
        Self::Rival,
    ];

    /// Name in reports.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Kill => "kill -9",
            Self::Term => "SIGTERM",
            Self::Hangup => "SIGHUP",
            Self::Interrupt => "SIGINT",
            Self::Twice => "SIGINT twice",
            Self::FileSize => "file size limit",
            Self::Memory => "memory limit",
            Self::FullDisk => "full disk",
            Self::FullDevice => "full device",
            Self::BrokenPipe => "broken pipe",
            Self::Rival => "rival",
        }
    }

    /// The signals that are sent, with the time between them.
    pub(super) fn signals(self) -> &'static [&'static str] {
        match self {
            Self::Kill => &["-KILL"],
            Self::Term => &["-TERM"],
            Self::Hangup => &["-HUP"],
            Self::Interrupt => &["-INT"],
            Self::Twice => &["-INT", "-INT"],
            _ => &[],
        }
    }

    /// Time between two signals.
    pub(super) const PAUSE: Duration = Duration::from_millis(5);

    /// `true` if the command may end without tidying up or giving a reason.
    pub(super) fn may_end_abruptly(self) -> bool {
        matches!(self, Self::Kill | Self::Memory)
    }
}
