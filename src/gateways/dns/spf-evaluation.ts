// What an SPF record permits, evaluated as a receiver does, includes and redirections followed.
import type { SpfAnswer, SpfQuestion } from '../../lib/deliverability/probes.ts'
import { askServers, type ResolverOptions, withResolver } from './resolver.ts'

export type SpfEvaluationOptions = ResolverOptions & {
  /** No question is asked after this time. */
  evaluationMsMax: number
}

/** Never fails. */
export async function evaluateSpf({ host, address, record }: SpfQuestion, options: SpfEvaluationOptions): Promise<SpfAnswer> {
  const { evaluationMsMax, ...resolving } = options

  /** The types of the library leave out that MX records are objects. */
  function resolve(name: string, type: string): Promise<string[]>
  async function resolve(name: string, type: string): Promise<unknown> {
    if (record !== undefined && name === host && type === 'TXT') return [[record]]
    return withResolver(resolving, (resolver) => askServers(resolver, (each) => each.resolve(name, type)))
  }

  try {
    // Loaded when the first record is evaluated, so that every start is quicker.
    const { spf } = await import('mailauth/lib/spf/index.js')
    const sender = `postmaster@${host}`
    const { status } = await spf({
      sender,
      helo: host,
      ip: address,
      mta: host,
      maxElapsedTime: evaluationMsMax,
      strict: true,
      resolver: resolve,
    })
    return { address, result: status.result, comment: status.comment ?? '' }
  } catch (error) {
    return { address, result: 'temperror', comment: error instanceof Error ? error.message : String(error) }
  }
}
