// Where a form says what was refused: at the field, if the API names one that is shown, and otherwise above or below the form. Either is scrolled to.
import type { UseFormReturnType } from '@mantine/form'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { ApiError } from '../api/client'
import { withCode } from './with-code'

type Refusal = {
  /** The form, in which the field is looked for. */
  around: RefObject<HTMLFormElement | null>
  /** The alert that shows `error`. */
  alert: RefObject<HTMLDivElement | null>
  /** What no field shows. */
  error: Error | null
  /** For `form.onSubmit`: what the form itself refuses. */
  onInvalid: (errors: Readonly<Record<string, unknown>>) => void
}

export function useRefusal<Values extends Record<string, unknown>>(
  form: Pick<UseFormReturnType<Values>, 'setFieldError'>,
  error: Error | null,
): Refusal {
  const around = useRef<HTMLFormElement>(null)
  const alert = useRef<HTMLDivElement>(null)
  const [atField, setAtField] = useState<Error | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each refusal
  useLayoutEffect(() => {
    const path = error === null ? undefined : fieldsNamedBy(error).find((name) => fieldOf(around.current, name) !== null)
    setAtField(path === undefined ? null : error)
    if (error === null || path === undefined) return
    form.setFieldError(path, withCode(error.message))
    show(fieldOf(around.current, path))
  }, [error])
  const elsewhere = error === atField ? null : error
  useEffect(() => {
    if (elsewhere !== null) alert.current?.scrollIntoView({ block: 'center' })
  }, [elsewhere])
  return {
    ...{ around, alert, error: elsewhere },
    onInvalid: (errors) => show(fieldOf(around.current, Object.keys(errors)[0] ?? '')),
  }
}

/** The API writes names of fields between backquotes, such as `to[1]`: it, and what it is part of. */
function fieldsNamedBy(error: Error): string[] {
  if (!(error instanceof ApiError) || !OF_FIELDS.includes(error.status)) return []
  const [, named] = /`([\w.[\]-]+)`/.exec(error.message) ?? []
  if (named === undefined) return []
  const parts = named.split(/[.[\]]+/).filter(Boolean)
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('.'))
}
const OF_FIELDS = [400, 422]

/** Null for one that is folded away. */
function fieldOf(form: HTMLFormElement | null, path: string): HTMLElement | null {
  const field = form?.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`) ?? null
  return field === null || field.offsetParent === null ? null : field
}

function show(field: HTMLElement | null): void {
  field?.focus({ preventScroll: true })
  field?.scrollIntoView({ block: 'center' })
}
