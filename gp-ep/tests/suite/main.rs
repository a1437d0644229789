//! One program, since linking files separately takes longer than compiling.

mod classes;
mod data;
mod data_sets;
mod design;
mod exact;
mod interrupted;
mod ivm;
mod power_ep;
mod regression;
mod several;
mod shared_work;
