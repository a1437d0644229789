//! Networks with published constants.

use gp_ep::operations::Machine;

/// Ranges, worse end first.
pub(super) struct Network {
    pub(super) name: &'static str,
    /// Seconds per message between programs.
    pub(super) latency: [f64; 2],
    /// Bytes per second of large messages.
    pub(super) bandwidth: [f64; 2],
}

/// Slowest first. Latencies: MPI ping-pong over system sockets, remote memory access on Ethernet, InfiniBand;
/// bandwidths: 3/4 to nearly all of the line rate.
pub(super) const NETWORKS: [Network; 4] = [
    Network { name: "10 Gb/s Ethernet", latency: [50e-6, 20e-6], bandwidth: [0.9e9, 1.2e9] },
    Network { name: "25 Gb/s Ethernet", latency: [40e-6, 10e-6], bandwidth: [2.3e9, 3.0e9] },
    Network { name: "100 Gb/s Ethernet", latency: [10e-6, 2e-6], bandwidth: [9e9, 12e9] },
    Network { name: "200 Gb/s InfiniBand", latency: [2e-6, 1e-6], bandwidth: [18e9, 24e9] },
];

/// Typical network.
pub(super) const USUAL: usize = 1;

impl Network {
    /// Nodes at both ends, worse first.
    pub(super) fn ends(&self, node: &Machine) -> [Machine; 2] {
        [0, 1].map(|end| Machine { latency: self.latency[end], bandwidth: self.bandwidth[end], ..*node })
    }

    /// Node with geometric means of constants.
    pub(super) fn middle(&self, node: &Machine) -> Machine {
        let middle = |ends: [f64; 2]| (ends[0] * ends[1]).sqrt();
        Machine { latency: middle(self.latency), bandwidth: middle(self.bandwidth), ..*node }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_go_from_slow_to_fast_and_their_ends_from_worse_to_better() {
        let falls = |pair: [f64; 2]| pair[0] > pair[1];
        assert!(NETWORKS.iter().all(|network| falls(network.latency) && !falls(network.bandwidth)));
        assert!(NETWORKS.windows(2).all(|pair| {
            (0..2).all(|end| pair[0].latency[end] >= pair[1].latency[end])
                && (0..2).all(|end| pair[0].bandwidth[end] < pair[1].bandwidth[end])
        }));
    }
}
