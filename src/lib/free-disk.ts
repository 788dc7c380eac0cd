/** The watermark: below it nothing new is accepted, so that there is room to deliver, log and clean up what was. */
export const FREE_BYTES_MIN = 256 * 1024 * 1024
