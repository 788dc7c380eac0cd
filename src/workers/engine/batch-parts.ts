// A batch is processed in parts that fit into memory.
import type { ClaimedDelivery } from '../../repositories/engine/deliveries.ts'

/** Content that one statement loads. A batch of large emails is processed in parts. */
const PART_BYTES_MAX = 8 * 1024 * 1024
/** What an email costs in addition to its content, roughly: rows, addresses, the composed message. */
const EMAIL_BYTES = 4_096

/** While a message is composed, memory holds its encoded content, the same in lines, and the whole. */
const COMPOSED_COPIES = 3

/** Parts whose content fits into memory together. A larger email is a part of its own. */
export function partsOf(claimed: ClaimedDelivery[]): ClaimedDelivery[][] {
  const found: ClaimedDelivery[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const delivery of claimed) {
    bytes += delivery.contentBytes
    if (bytes > PART_BYTES_MAX) {
      found.push([])
      bytes = delivery.contentBytes
    }
    found.at(-1)?.push(delivery)
  }
  return found
}

/** The bytes that the loaded emails of a part take in memory. They are loaded once each, however many recipients they have. */
export const loadedBytes = (part: ClaimedDelivery[]): number =>
  [...new Map(part.map(({ emailId, contentBytes }) => [emailId, contentBytes])).values()].reduce((sum, bytes) => sum + bytes, 0)

/** The bytes that a delivery takes, whose message is composed for its recipient. */
export const composedBytes = ({ contentBytes }: ClaimedDelivery): number => contentBytes * COMPOSED_COPIES + EMAIL_BYTES

/** The bytes that a part takes in memory. */
export const weightOf = (part: ClaimedDelivery[]): number =>
  loadedBytes(part) + part.reduce((sum, delivery) => sum + composedBytes(delivery), 0)
