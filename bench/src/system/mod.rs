//! The machine that is measured on: its disk, and what each process of it used.

pub(crate) mod cpu;
pub(crate) mod disk;
pub(crate) mod machine;
