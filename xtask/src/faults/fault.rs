//! Disturbances of a command.

use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    /// `kill -9`.
    Kill,
    Term,
    /// SIGHUP of a closed terminal.
    Hangup,
    /// SIGINT of Ctrl-C.
    Interrupt,
    /// Two quick Ctrl-C.
    Twice,
    FileSize,
    Memory,
    FullDisk,
    FullDevice,
    BrokenPipe,
    /// Concurrent run of the same command.
    Rival,
}

impl Fault {
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

    pub(super) const PAUSE: Duration = Duration::from_millis(5);

    /// `true` if clean-up or message may be missing.
    pub(super) fn may_end_abruptly(self) -> bool {
        matches!(self, Self::Kill | Self::Memory)
    }
}
