import type { MimeNode } from '@zone-eu/mailsplit'
import libmime from 'libmime'
import { safeFilename } from '../received/safe-names.ts'

/**
 * Every name under which a program that reads mail may store a file. Programs differ in which they take of several, whether in the same field, in
 * the other field or as `filename*=`, and in what they leave out of it.
 */
export function fileNames({ filename, headers }: Pick<MimeNode, 'filename' | 'headers'>): string[] {
  const fields = headers === false ? [] : NAMING_FIELDS.flatMap((field) => headers.get(field))
  const given = [filename || '', ...fields.flatMap((field) => [joinedName(field), ...writtenNames(field)])]
  return [...new Set(given)].flatMap((name) => safeFilename(name) ?? [])
}

const NAMING_FIELDS = ['content-disposition', 'content-type']

/** A name that stands in several pieces (RFC 2231, section 3) is put together. */
function joinedName(field: string): string {
  const { params } = libmime.parseHeaderValue(field.slice(field.indexOf(':') + 1))
  return params.filename ?? params.name ?? ''
}

/** Each of them, as it stands there. */
const writtenNames = (field: string): string[] =>
  [...field.matchAll(NAMES)].map(([, star, quoted, bare]) => {
    const name = quoted === undefined ? (bare ?? '').trim() : quoted.replace(/\\(.)/g, '$1')
    return star === '*' ? withoutPercents(name) : name
  })

const NAMES = /[;\s](?:file)?name(\*?)=(?:"((?:[^"\\]|\\.)*)"|([^;]*))/gi

/** The charset and the language that stand before the name (RFC 2231, section 4) change nothing about its ending. */
function withoutPercents(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
