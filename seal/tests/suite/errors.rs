//! The names of `crypto.md` section 14, in its order.

use seal::Error;

const NAMES: &str = "bad_encoding bad_public_key input_too_long link_missing link_no_key link_version \
    link_truncated link_checksum link_ambiguous link_insecure link_epoch verifier_mismatch \
    blob_truncated version_unknown too_large auth_failed bad_padding author_unknown bad_signature \
    not_certified bad_content profile_key_mismatch seq_gap bad_record epoch_order replay \
    rollback own_record_mismatch fork head_ahead head_regressed bad_notice bad_member \
    epoch_record_malformed rekey_not_owner rekey_removed rekey_auth history_closed attach_size \
    attach_auth attach_digest limit_reached";

#[test]
fn the_names_are_those_of_the_specification() {
    let names: Vec<&str> = Error::ALL.iter().map(|error| error.name()).collect();
    assert_eq!(names, NAMES.split_whitespace().collect::<Vec<_>>());
    for name in names {
        assert_eq!(Error::from_name(name).unwrap().name(), name);
    }
    assert_eq!(Error::from_name("no_such_name"), None);
}

#[test]
fn a_damaged_and_a_cut_link_give_the_same_advice() {
    assert_eq!(Error::LinkTruncated.advice(), Error::LinkChecksum.advice());
}
