// The body of an operation that accepts a file, as the form that a client sends.

/** Fields that are not text are sent as JSON. */
export function formOf(filePart: string, body: object): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(body)) {
    if (name === filePart) form.append(name, new Blob([String(value)], { type: 'text/csv' }), 'contacts.csv')
    else form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  return form
}
