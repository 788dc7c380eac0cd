import { invalid } from '../../lib/failure.ts'

/**
 * The tags of `X-Tags` headers: `category=receipt; order=17`, or JSON, a list of names and values as `POST /emails` takes it or an object.
 *
 * @throws Failure if it is neither
 */
export const readTags = (values: readonly string[]): { name: string; value: string }[] =>
  values.flatMap((value) => (/^[[{]/.test(value) ? tagsOfJson(value) : tagsOfText(value)))

const tagsOfText = (value: string): { name: string; value: string }[] =>
  value
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=')
      if (at === -1) throw malformed()
      return { name: pair.slice(0, at).trim(), value: pair.slice(at + 1).trim() }
    })

function tagsOfJson(text: string): { name: string; value: string }[] {
  const json = parsed(text)
  if (!Array.isArray(json)) return Object.entries(json).map(([name, value]) => ({ name, value: textOf(value) }))
  return json.map((tag) => {
    if (tag === null || typeof tag !== 'object' || !('name' in tag) || !('value' in tag)) throw malformed()
    return { name: textOf(tag.name), value: textOf(tag.value) }
  })
}

function parsed(text: string): object {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed()
  }
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw malformed()
  return value
}

const malformed = () => invalid('The `X-Tags` header must be `name=value; name=value`, or tags in JSON as `POST /emails` takes them.')
