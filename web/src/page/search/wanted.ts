// What a query looks for. Apart from the search, since what is found is marked in all text. Pure.

/** What is compared: small letters, without spaces at the ends. */
export const wantedOf = (query: string): string => query.trim().toLowerCase();
