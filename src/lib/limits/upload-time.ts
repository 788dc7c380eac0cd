/** The limit for a whole upload: 512 MB over a line of 1 Mbit/s. */
export const UPLOAD_MS_MAX = 75 * 60 * 1_000
