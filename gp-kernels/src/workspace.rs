//! Memory that is set up once and lent out: kernels borrow buffers here instead of allocating in a step.

/// A pool of number buffers. After the first evaluation of a given size no further memory is asked for.
#[derive(Debug, Default)]
pub struct Workspace {
    free: Vec<Vec<f64>>,
}

impl Workspace {
    /// An empty pool.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lends a buffer of `len` zeros. Give it back with [`give`](Self::give), or it is lost to the pool.
    pub fn take(&mut self, len: usize) -> Vec<f64> {
        let mut buffer = self.take_dirty(len);
        buffer.fill(0.0);
        buffer
    }

    /// Lends a buffer of `len` numbers whose values are left over from earlier uses.
    pub fn take_dirty(&mut self, len: usize) -> Vec<f64> {
        let mut buffer = match self.best_fit(len) {
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

    /// The smallest free buffer that is large enough, so that a small request does not consume a large buffer.
    fn best_fit(&self, len: usize) -> Option<usize> {
        let fitting = self.free.iter().enumerate().filter(|(_, buffer)| buffer.capacity() >= len);
        fitting.min_by_key(|(_, buffer)| buffer.capacity()).map(|(position, _)| position)
    }
}
