/** The limit for each type. */
export const FOUND_PER_TYPE_MAX = 5
/** The newest emails, and the newest received ones, whose subjects and addresses are compared, and the newest contacts, whose names are. */
export const SEARCHED_NEWEST_MAX = 5_000
/** The records of one type that a search by names reads: those that teams may have, and of API keys and imports the newest. */
export const NAMES_SEARCHED_MAX = 10_000
