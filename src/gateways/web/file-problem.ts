import { OutboundRefusal } from '../outbound-guard.ts'

/** What the remote server did wrong during a fetch, in words for the client, and whether a retry may help. */
export class FileProblem extends Error {
  readonly reason: string
  readonly retry: boolean

  constructor(reason: string, { retry = false }: { retry?: boolean } = {}) {
    super(reason)
    this.reason = reason
    this.retry = retry
  }
}

/** Describes the error of a failed fetch. */
export function toFileProblem(error: unknown, { deadline, timeoutMs }: { deadline: AbortSignal; timeoutMs: number }): FileProblem {
  if (error instanceof FileProblem) return error
  if (deadline.aborted) return new FileProblem(`The file did not arrive within ${timeoutMs / 1000} seconds.`, { retry: true })
  if (error instanceof OutboundRefusal) return new FileProblem('The URL leads to an address that is not on the public internet.')
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  if (code.startsWith('Z_') || code.startsWith('ERR_BROTLI'))
    return new FileProblem('The content does not have the content-encoding that the server names.')
  return new FileProblem(`The file could not be fetched (${code}).`, { retry: true })
}
