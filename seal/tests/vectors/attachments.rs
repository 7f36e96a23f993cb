//! Group `attachments`.

use libtest_mimic::Trial;
use seal::Error;
use seal::attachment::{Opener, Sealer};
use seal::secret::AttachmentKey;
use serde_json::Value;
use wire::transcript::sha256;

use crate::support::{array, error, hex, number, rows};

pub(crate) fn cases(group: &'static Value) -> Vec<Trial> {
    let source = &group["bad_source"];
    let mut trials = rows("attachment", &group["good"], good);
    trials.push(Trial::test("attachment: the source of the bad ones", || {
        good(source);
        Ok(())
    }));
    trials.extend(group["bad"].as_array().unwrap().iter().map(|row| {
        Trial::test(
            format!("attachment bad: {}", row["name"].as_str().unwrap()),
            || {
                bad(row, source);
                Ok(())
            },
        )
    }));
    trials
}

fn data(row: &Value) -> Vec<u8> {
    if row["data"].is_string() {
        return hex(&row["data"]);
    }
    hex(&row["repeat"])
        .into_iter()
        .cycle()
        .take(number(&row["size"]))
        .collect()
}

fn seal(key: &AttachmentKey, data: &[u8]) -> (Vec<Vec<u8>>, [u8; 32]) {
    let mut sealer = Sealer::new(key, data.len() as u64).unwrap();
    let (mut chunks, mut rest) = (Vec::new(), data);
    for index in 0..sealer.layout().chunks() {
        let (now, later) = rest.split_at(sealer.layout().data_len(index).unwrap());
        chunks.push(sealer.seal(now).unwrap());
        rest = later;
    }
    assert!(rest.is_empty());
    (chunks, sealer.finish().unwrap())
}

fn open(key: &AttachmentKey, size: u64, digest: [u8; 32], chunks: &[Vec<u8>]) -> Result<Vec<u8>, Error> {
    let mut opener = Opener::new(key, size, digest)?;
    // What a client asks the plane first: which chunks there are.
    if chunks.len() != opener.layout().chunks() as usize {
        return Err(Error::AttachSize);
    }
    let mut data = Vec::new();
    for chunk in chunks {
        data.extend_from_slice(&opener.open(chunk)?);
    }
    opener.finish()?;
    Ok(data)
}

fn good(row: &Value) {
    let (key, data) = (AttachmentKey::from_bytes(array(&row["key"])), data(row));
    let (chunks, digest) = seal(&key, &data);
    assert_eq!(digest, array(&row["digest"]));
    let expected: Vec<[u8; 32]> = row["chunk_sha256"]
        .as_array()
        .unwrap()
        .iter()
        .map(array)
        .collect();
    assert_eq!(
        chunks.iter().map(|chunk| sha256(chunk)).collect::<Vec<_>>(),
        expected
    );
    if let Some(lens) = row["chunk_lens"].as_array() {
        let lens: Vec<usize> = lens.iter().map(number).collect();
        assert_eq!(chunks.iter().map(Vec::len).collect::<Vec<_>>(), lens);
    }
    if let Some(bytes) = row["chunks"].as_array() {
        assert_eq!(chunks, bytes.iter().map(hex).collect::<Vec<_>>());
    }
    assert_eq!(open(&key, data.len() as u64, digest, &chunks).unwrap(), data);
}

fn bad(row: &Value, source: &Value) {
    let or_source = |field: &str| row.get(field).unwrap_or(&source[field]);
    let (mut chunks, _) = seal(&AttachmentKey::from_bytes(array(&source["key"])), &data(source));
    for op in row["ops"].as_array().unwrap() {
        let at = |place: usize| number::<usize>(&op[place]);
        match op[0].as_str().unwrap() {
            "flip" => chunks[at(1)][at(2)] ^= 1,
            "swap" => chunks.swap(at(1), at(2)),
            "drop" => drop(chunks.remove(at(1))),
            "repeat" => chunks.insert(at(1), chunks[at(1)].clone()),
            "cut" => {
                let chunk = &mut chunks[at(1)];
                chunk.truncate(chunk.len() - at(2));
            }
            other => panic!("operation {other}"),
        }
    }
    let key = AttachmentKey::from_bytes(array(or_source("key")));
    let opened = open(
        &key,
        number(or_source("size")),
        array(or_source("digest")),
        &chunks,
    );
    assert_eq!(opened.unwrap_err(), error(row));
}
