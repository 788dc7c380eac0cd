// Where files are stored: STORAGE_URL in its two forms, file: and s3:.
import ipaddr from 'ipaddr.js'
import { isThisMachine } from '../../lib/peer-addresses.ts'
import { type Problem, problem } from '../../lib/problem.ts'

/** An object store that speaks the protocol of S3. Credentials are not part of it: the client looks for them where all clients of AWS do. */
export type Bucket = {
  name: string
  /** Empty, or it ends with a slash. */
  prefix: string
  /** Null: that of AWS_REGION or of the profile. */
  region: string | null
  /** Null: that of AWS in this region. */
  endpoint: string | null
}

export type Storage = { folder: string } | { bucket: Bucket }

const FORMS = 'must be file:///absolute/folder or s3://bucket/prefix?region=...&endpoint=https://...'
const PARAMETERS: readonly string[] = ['region', 'endpoint']
/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
/** What needs no escaping in any store. */
const PREFIX = /^[\w./-]*$/
const REGION = /^[\w-]{1,50}$/
/** Servers of one's own have this one or ignore it. */
const OWN_REGION = 'us-east-1'

export function parseStorageUrl(value: string): Storage | Problem {
  const url = URL.parse(value)
  if (url?.protocol === 's3:') return parseBucket(url)
  if (url?.protocol !== 'file:' || url.host) return problem(FORMS)
  return { folder: decodeURIComponent(url.pathname) }
}

function parseBucket(url: URL): Storage | Problem {
  if (url.username || url.password) return problem('may not hold credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name))
  if (unknown !== undefined) return problem(`may have the parameters ${PARAMETERS.join(' and ')}, and no others`)
  const path = url.pathname.split('/').filter(Boolean).join('/')
  if (!BUCKET_NAME.test(url.host) || !PREFIX.test(path) || url.hash) return problem(FORMS)
  const endpoint = url.searchParams.get('endpoint')
  const region = url.searchParams.get('region') ?? (endpoint === null ? null : OWN_REGION)
  if (region !== null && !REGION.test(region)) return problem('must have a region such as eu-central-1')
  const place = endpoint === null ? null : parseEndpoint(endpoint)
  if (place !== null && typeof place !== 'string') return place
  return { bucket: { name: url.host, prefix: path === '' ? '' : `${path}/`, region, endpoint: place } }
}

function parseEndpoint(value: string): string | Problem {
  const url = URL.parse(value)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.pathname !== '/' || url.search || url.hash || url.username || url.password)
    return problem('must have an endpoint such as https://s3.example.com, without a path')
  if (url.protocol === 'http:' && !isOwnNetwork(url.hostname))
    return problem(
      'must have an endpoint that begins with https://, unless it is this machine, a private address, or a name of a private network',
    )
  return url.origin
}

const PRIVATE_RANGES: ReadonlySet<string> = new Set(['private', 'uniqueLocal'])
/** Names that no public server has: reserved (RFC 6762, RFC 8375, .internal by ICANN), or without a dot, as containers call each other. */
const PRIVATE_NAME = /^[^.]+$|\.(internal|local|home\.arpa)$/

/** Mail passes through what is between here and there, unencrypted. */
function isOwnNetwork(hostname: string): boolean {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  if (isThisMachine(bare)) return true
  return ipaddr.isValid(bare) ? PRIVATE_RANGES.has(ipaddr.process(bare).range()) : PRIVATE_NAME.test(bare)
}
