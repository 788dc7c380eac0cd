/** The limit for each type. */
export const FOUND_PER_TYPE_MAX = 5
/** The newest emails, and the newest received ones, whose subjects and addresses are compared, and the newest contacts, whose names are. */
export const SEARCHED_NEWEST_MAX = 5_000
