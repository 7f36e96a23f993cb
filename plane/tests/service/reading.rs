//! Reading page by page.

use wire::encoding::Blob;

use crate::fixture::*;

on_both! {
    async fn pages_are_in_order_and_say_whether_there_is_more(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        for _ in 0..7 {
            owner.post().await;
        }
        let seqs = |page: &wire::api::Page| page.records.iter().map(|r| r.seq).collect::<Vec<_>>();
        let page = owner.read(2, 3).await;
        assert_eq!((seqs(&page), page.more), (vec![3, 4, 5], true));
        let page = owner.read(5, 4).await;
        assert_eq!((seqs(&page), page.more), (vec![6, 7, 8, 9], false));
        let page = owner.read(9, 10).await;
        assert_eq!((seqs(&page), page.more, page.state.head_seq), (vec![], false, 9));
        assert_eq!(owner.read(1_000, 10).await.records, []);
        assert!(owner.read(0, 10).await.checkpoint.is_none());
    }

    async fn a_page_holds_a_mebibyte_at_most_and_one_record_at_least(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let mut large = vec![7; 258_089];
        large[0] = 1;
        for _ in 0..6 {
            let mut post = owner.message();
            post.sealed = Blob(large.clone());
            new(owner.send(post).await.unwrap());
        }
        let page = owner.read(2, 1_000).await;
        assert_eq!(page.records.len(), 4, "four of 258,089 bytes fit into 1,048,576");
        assert!(page.more);
        assert_eq!(owner.transcript().await.len(), 8);
    }
}
