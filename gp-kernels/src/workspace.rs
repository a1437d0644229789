//! Reusable buffers.

/// Pool of reusable buffers.
#[derive(Debug, Default)]
pub struct Workspace {
    free: Vec<Vec<f64>>,
}

impl Workspace {
    /// Empty pool.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lends `len` zeros; [return](Self::give) them.
    pub fn take(&mut self, len: usize) -> Vec<f64> {
        let mut buffer = self.take_dirty(len);
        buffer.fill(0.0);
        buffer
    }

    /// Lends `len` arbitrary numbers.
    pub fn take_dirty(&mut self, len: usize) -> Vec<f64> {
        let mut buffer = match self.best_fit(len).or_else(|| self.largest()) {
            Some(position) => self.free.swap_remove(position),
            None => Vec::with_capacity(len),
        };
        buffer.resize(len, 0.0);
        buffer
    }

    /// Takes a buffer back.
    pub fn give(&mut self, buffer: Vec<f64>) {
        self.free.push(buffer);
    }

    /// Largest free buffer; grows if none fits.
    fn largest(&self) -> Option<usize> {
        let all = self.free.iter().enumerate();
        all.max_by_key(|(_, buffer)| buffer.capacity()).map(|(position, _)| position)
    }

    fn best_fit(&self, len: usize) -> Option<usize> {
        let fitting = self.free.iter().enumerate().filter(|(_, buffer)| buffer.capacity() >= len);
        fitting.min_by_key(|(_, buffer)| buffer.capacity()).map(|(position, _)| position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growing_requests_keep_one_buffer() {
        let mut ws = Workspace::new();
        for len in 1..1000 {
            let buffer = ws.take(len);
            assert!(buffer.len() == len && buffer.iter().all(|x| *x == 0.0));
            ws.give(buffer);
        }
        assert_eq!(ws.free.len(), 1);
    }

    #[test]
    fn a_small_request_leaves_the_large_buffer() {
        let mut ws = Workspace::new();
        let (large, small) = (ws.take(1000), ws.take(10));
        ws.give(large);
        ws.give(small);
        let lent = ws.take(5);
        assert!(ws.free.iter().any(|buffer| buffer.capacity() >= 1000));
        ws.give(lent);
    }
}
