// The name and type of a file from the web, from headers that cannot be trusted.
import type { IncomingHttpHeaders } from 'undici/types/header.js'

/** The longest name that common file systems allow. */
const FILENAME_LENGTH_MAX = 255

/** `type/subtype` in lower case and without parameters (RFC 9110, section 8.3.1), or null. */
export function contentTypeOf(headers: IncomingHttpHeaders): string | null {
  const [type = ''] = textOf(headers['content-type']).split(';')
  const normal = type.trim().toLowerCase()
  return /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/.test(normal) ? normal : null
}

/**
 * The name in Content-Disposition (RFC 6266), or else the last segment of the URL's path, or else null. It never contains a folder, a control
 * character or one that turns the direction of writing.
 */
export function filenameOf(headers: IncomingHttpHeaders, url: string): string | null {
  const disposition = textOf(headers['content-disposition'])
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1]
  const quoted = /;\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1]
  const token = /;\s*filename\s*=\s*([^;"\s]+)/i.exec(disposition)?.[1]
  const segment = URL.parse(url)?.pathname.split('/').at(-1)
  const given = percentDecoded(extended) ?? quoted?.replace(/\\(.)/g, '$1') ?? token ?? percentDecoded(segment)
  return given === undefined ? null : withoutFolder(given)
}

function withoutFolder(name: string): string | null {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  const clean = last
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim()
    .slice(0, FILENAME_LENGTH_MAX)
    .toWellFormed()
  return clean === '' || clean === '.' || clean === '..' ? null : clean
}

function percentDecoded(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const textOf = (value: string | string[] | undefined): string => (Array.isArray(value) ? (value[0] ?? '') : (value ?? ''))
