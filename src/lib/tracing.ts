// Traces as the rest of the service knows them: io/telemetry makes them, and nothing is there while none are exported.
import { Failure } from './failure.ts'

/** Ids, numbers, host names and words of closed sets: never an address of a person, a text that others wrote, or a secret. */
export type SpanAttributes = Record<string, string | number | boolean>

export type SpanKind = 'server' | 'internal' | 'consumer' | 'client'

export type SpanStart = { kind: SpanKind; attributes?: SpanAttributes }

export type SpanEnd = { attributes?: SpanAttributes; isError?: boolean }

/** A part of a trace that has begun. Each is ended once; to end it again changes nothing. */
export type OpenSpan = {
  /** What continues the trace elsewhere, in the form of W3C Trace Context. */
  traceparent: string
  child(name: string, start: SpanStart): OpenSpan
  end(end?: SpanEnd): void
}

export type Tracing = {
  /** @param traceparent what the span continues; one that is malformed, or null, begins a trace of its own */
  begin(name: string, start: SpanStart & { traceparent: string | null }): OpenSpan
}

/** Ends a span with the work that it is about. */
export async function spanned<Result>(span: OpenSpan | null, work: Promise<Result>): Promise<Result> {
  if (span === null) return work
  try {
    const result = await work
    span.end()
    return result
  } catch (error) {
    span.end({ isError: true, attributes: { 'error.type': errorType(error) } })
    throw error
  }
}

/** A word of a closed set: messages of errors quote what others have sent. */
function errorType(error: unknown): string {
  if (error instanceof Failure) return error.kind
  return error instanceof Error ? error.name : 'unknown'
}
