//! Secret bytes as types of their own (`crypto.md` section 15).
//!
//! Each wipes its memory when it goes. None can be cloned, printed, compared with `==` or serialised by
//! accident: `expose` is the one way to the bytes, so that every use can be found by its name.

use std::fmt;

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::random::{self, Unavailable};

macro_rules! secret {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        pub struct $name(Box<Zeroizing<[u8; 32]>>);

        impl $name {
            /// Takes the bytes. The caller's own copy is the caller's to wipe.
            pub fn from_bytes(bytes: [u8; 32]) -> Self {
                Self(Box::new(Zeroizing::new(bytes)))
            }

            /// The bytes. They may go into the state file, a request that needs them or a derivation; nowhere else.
            pub fn expose(&self) -> &[u8; 32] {
                &self.0
            }

            /// Compares in constant time.
            pub fn same(&self, other: &Self) -> bool {
                self.expose().ct_eq(other.expose()).into()
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    };
}

/// For secrets that are drawn, not derived.
macro_rules! drawn {
    ($name:ident) => {
        impl $name {
            /// A fresh one from the operating system.
            ///
            /// # Errors
            /// [`Unavailable`] when the operating system gives no randomness.
            pub fn random() -> Result<Self, Unavailable> {
                random::bytes().map(Self::from_bytes)
            }
        }
    };
}

secret! {
    /// `S`: what a full link carries; everything of an epoch follows from it.
    FullSecret
}
secret! {
    /// `R`: what a view link carries; opens everything of an epoch and can make nothing.
    ViewSecret
}
secret! {
    /// The key that seals all records of one epoch.
    ContentKey
}
secret! {
    /// The private key of one attachment; serves one file, once.
    AttachmentKey
}
secret! {
    /// An HPKE ephemeral private key; serves one entry of one epoch record.
    EphemeralKey
}

drawn!(FullSecret);
drawn!(AttachmentKey);
drawn!(EphemeralKey);

/// Which of the two secrets a link carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// `f`: read and post.
    Full,
    /// `v`: read.
    View,
}

impl LinkKind {
    /// The letter in a link.
    pub const fn letter(self) -> char {
        match self {
            Self::Full => 'f',
            Self::View => 'v',
        }
    }
}

/// The secret that a link carries, or that a re-key gave.
#[derive(Debug)]
pub enum LinkSecret {
    /// Of a full link.
    Full(FullSecret),
    /// Of a view link.
    View(ViewSecret),
}

impl LinkSecret {
    /// A secret of the given kind. The caller's own copy is the caller's to wipe.
    pub fn from_bytes(kind: LinkKind, bytes: [u8; 32]) -> Self {
        match kind {
            LinkKind::Full => Self::Full(FullSecret::from_bytes(bytes)),
            LinkKind::View => Self::View(ViewSecret::from_bytes(bytes)),
        }
    }

    /// Which one it is.
    pub const fn kind(&self) -> LinkKind {
        match self {
            Self::Full(_) => LinkKind::Full,
            Self::View(_) => LinkKind::View,
        }
    }

    /// Compares kind and bytes, the bytes in constant time.
    pub fn same(&self, other: &Self) -> bool {
        self.kind() == other.kind() && self.expose().ct_eq(other.expose()).into()
    }

    /// The bytes, as [`FullSecret::expose`].
    pub fn expose(&self) -> &[u8; 32] {
        match self {
            Self::Full(secret) => secret.expose(),
            Self::View(secret) => secret.expose(),
        }
    }
}
