//! Tells the tests where the public data sets are, if they are anywhere.

use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-env-changed=BEANJAR_DATA");
    println!("cargo:rustc-check-cfg=cfg(beanjar_data)");
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("BEANJAR_DATA").map_or_else(beside, PathBuf::from);
    if let Ok(folder) = folder.canonicalize() {
        println!("cargo:rustc-cfg=beanjar_data");
        println!("cargo:rustc-env=BEANJAR_DATA_FOLDER={}", folder.display());
    }
}
