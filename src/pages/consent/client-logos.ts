// Logos of clients, as data in the page, so that no server of a stranger learns who looks at it.
import { LRUCache } from 'lru-cache'
import type { Context } from '../../context.ts'

const BYTES_MAX = 64 * 1024
const TIMEOUT_MS = 2_000
const KEPT_MS = 60 * 60 * 1_000
const KEPT_MAX = 100
/** Pictures that a browser only draws. */
const TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

export function createClientLogos({ remoteFiles }: Pick<Context['gateways'], 'remoteFiles'>) {
  const kept = new LRUCache<string, { data: string | null }>({ max: KEPT_MAX, ttl: KEPT_MS })

  /** Null if there is none, or none that can be shown. */
  return async (url: string | null): Promise<string | null> => {
    if (url === null || remoteFiles.problemOf(url) !== null) return null
    const known = kept.get(url)
    if (known) return known.data
    const pieces: Buffer[] = []
    const fetched = await remoteFiles.fetchFile(url, {
      bytesMax: BYTES_MAX,
      timeoutMs: TIMEOUT_MS,
      async store(content) {
        for await (const piece of content) pieces.push(piece)
      },
    })
    const type = fetched.ok ? (fetched.contentType?.split(';')[0]?.trim() ?? '') : ''
    const data = TYPES.has(type) ? `data:${type};base64,${Buffer.concat(pieces).toString('base64')}` : null
    kept.set(url, { data })
    return data
  }
}
