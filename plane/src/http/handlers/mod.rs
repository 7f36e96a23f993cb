//! One function a route: from a typed call to the service and back. What needs more than that does not belong here.

pub(super) mod door;
pub(super) mod modes;
pub(super) mod orgs;
pub(super) mod pages;
pub(super) mod participants;
pub(super) mod records;
pub(super) mod service;
pub(super) mod sessions;
