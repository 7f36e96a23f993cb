//! Tells cargo that the migrations are part of the binary, so that a new file is never missed.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
