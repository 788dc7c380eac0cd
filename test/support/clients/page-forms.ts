// The forms of a page, with what a browser would send of them.

export type PageForm = { action: string; isUpload: boolean; fields: [string, string][] }

/** The forms that post. `fill` gives a value to text fields that are empty, by their name. */
export function formsOf(html: string, fill: (name: string) => string): PageForm[] {
  return [...html.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g)].flatMap(([, head = '', body = '']) => {
    if (attribute(head, 'method') !== 'post') return []
    const action = attribute(head, 'action')
    const isUpload = attribute(head, 'enctype') === 'multipart/form-data'
    if (action !== undefined) return [{ action, isUpload, fields: fieldsOf(body, fill) }]
    // Each button leads elsewhere, with its own value.
    return [...body.matchAll(/<button[^>]*>/g)].map(([button]) => ({
      action: attribute(button, 'formaction') ?? '',
      isUpload,
      fields: fieldsOf(button, fill),
    }))
  })
}

function fieldsOf(body: string, fill: (name: string) => string): [string, string][] {
  const fields: [string, string][] = []
  for (const [, head = ''] of body.matchAll(/<input([^>]*)>/g)) {
    const [name, type = 'text', value = ''] = [attribute(head, 'name'), attribute(head, 'type'), attribute(head, 'value')]
    if (name === undefined || type === 'file') continue
    if (type === 'checkbox' || type === 'radio') {
      if (/\schecked(?=[\s>]|$)/.test(head)) fields.push([name, value || 'on'])
    } else fields.push([name, value === '' && type !== 'hidden' ? fill(name) : value])
  }
  for (const [, head = '', text = ''] of body.matchAll(/<textarea([^>]*)>([\s\S]*?)<\/textarea>/g)) {
    const name = attribute(head, 'name')
    if (name !== undefined) fields.push([name, text === '' ? fill(name) : decoded(text)])
  }
  for (const [, head = '', options = ''] of body.matchAll(/<select([^>]*)>([\s\S]*?)<\/select>/g)) {
    const name = attribute(head, 'name')
    const all = [...options.matchAll(/<option([^>]*)>([^<]*)/g)].map(([, option = '', text = '']) => ({ option, text }))
    const chosen = all.find(({ option }) => /\sselected/.test(option)) ?? all[0]
    if (name !== undefined && chosen) fields.push([name, attribute(chosen.option, 'value') ?? decoded(chosen.text)])
  }
  for (const [, head = ''] of body.matchAll(/<button([^>]*)>/g)) {
    const name = attribute(head, 'name')
    if (name !== undefined) fields.push([name, attribute(head, 'value') ?? ''])
  }
  return fields
}

function attribute(head: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(head)?.[1]
  return found === undefined ? undefined : decoded(found)
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&#x27;': "'" }

const decoded = (text: string): string => text.replaceAll(/&(?:amp|lt|gt|quot|#39|#x27);/g, (entity) => ENTITIES[entity] ?? entity)
