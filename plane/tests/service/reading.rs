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
        for limit in [4, 5, 8, 9, 200, 1_000] {
            let page = owner.read(2, limit).await;
            assert_eq!(page.records.len(), 4, "four of 258,089 bytes fit into 1,048,576: {limit}");
            assert!(page.more);
        }
        assert_eq!(owner.transcript().await.len(), 8);
    }

    async fn a_page_ends_before_the_first_that_does_not_fit_whatever_stands_behind_it(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        // 3 to 5, 6 to 8 and so on; the last large one of a page is what small ones behind it do not change.
        for _ in 0..5 {
            for size in [553, 258_089, 9_000] {
                let mut post = owner.message();
                let mut sealed = vec![7; size];
                sealed[0] = 1;
                post.sealed = Blob(sealed);
                new(owner.send(post).await.unwrap());
            }
        }
        let sizes = |page: &wire::api::Page| {
            page.records.iter().map(|r| r.sealed.as_ref().unwrap().0.len()).collect::<Vec<_>>()
        };
        // 3 × 267,642 = 802,926; with 553 and 258,089 more it would be 1,061,568.
        for limit in [11, 20, 1_000] {
            let page = owner.read(2, limit).await;
            let expected = [[553, 258_089, 9_000]; 3].concat().into_iter().chain([553]).collect::<Vec<_>>();
            assert_eq!(sizes(&page), expected, "{limit}");
        }
        assert_eq!(sizes(&owner.read(2, 5).await), [553, 258_089, 9_000, 553, 258_089]);
        assert_eq!(sizes(&owner.read(3, 1).await), [258_089]);
    }
}
