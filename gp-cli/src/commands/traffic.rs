//! Messages between processes, in JSON output.

use crate::error::CliError;
use gp_optim::{Team, Traffic};
use serde_json::{Value, json};

/// Adds `processes`, with messages and bytes of all; nothing for a single process. Call in all processes.
pub(super) fn with_traffic(mut told: Value, team: &Team) -> Result<Value, CliError> {
    if team.is_alone() {
        return Ok(told);
    }
    let Traffic { messages, bytes, time } = team.traffic();
    let mut sent = [messages as f64, bytes as f64];
    team.sum_counts(&mut sent)?;
    told["processes"] = json!({
        "count": team.count(),
        "messages": sent[0] as u64,
        "bytes_sent": sent[1] as u64,
        "seconds_of_messages": time.as_secs_f64(),
    });
    Ok(told)
}
