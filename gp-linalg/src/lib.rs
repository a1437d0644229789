//! Cholesky factors that grow, update and differentiate, and one door to matrix products.
