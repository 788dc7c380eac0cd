// What is tracked of opens and clicks, and the listener that answers tracked links over TLS.
import { resolve } from 'node:path'
import type { Variables } from '../environment.ts'
import { StartupProblem } from '../lib/startup-problem.ts'
import { list } from './values.ts'
import { wrong } from './wrong-values.ts'

export function tracking(variables: Variables) {
  return {
    /** Applies to mail from senders whose domain the team does not have. */
    byDefault: trackedByDefault(variables.TRACKING_DEFAULT),
    storesAddresses: variables.TRACKING_STORE_IP === 'true',
    hasHoneypot: variables.TRACKING_HONEYPOT === 'true',
    /** Null: a proxy before the API has the certificates of tracking hosts. */
    tls: trackingTls(variables),
  }
}

function trackedByDefault(value: string): { opens: boolean; clicks: boolean } {
  const names = list(value)
  if (names.some((name) => name !== 'opens' && name !== 'clicks'))
    throw wrong('TRACKING_DEFAULT', 'opens, clicks, or both, separated by a comma', value)
  return { opens: names.includes('opens'), clicks: names.includes('clicks') }
}

function trackingTls(variables: Variables): { certFile: string; keyFile: string; host: string; port: number } | null {
  const { TRACKING_TLS_CERT: cert, TRACKING_TLS_KEY: key, TRACKING_TLS_HOST: host, TRACKING_TLS_PORT: port } = variables
  if (cert === undefined && key === undefined) return null
  if (cert === undefined || key === undefined)
    throw new StartupProblem('TRACKING_TLS_CERT and TRACKING_TLS_KEY need each other: set both, or neither.')
  return { certFile: resolve(cert), keyFile: resolve(key), host, port }
}
