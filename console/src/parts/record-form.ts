// What a form needs that always stands on the page of its record, which someone else may change meanwhile.
import { type UseFormInput, type UseFormReturnType, useForm } from '@mantine/form'
import { useEffect } from 'react'
import { isObject } from './is-object'

/** Shows what is stored for as long as no one has typed. */
export function useRecordForm<Values extends Record<string, unknown>>(
  stored: Values,
  { validate }: { validate?: NonNullable<UseFormInput<Values>['validate']> } = {},
): UseFormReturnType<Values> {
  const form = useForm<Values>({ initialValues: stored, ...(validate && { validate }) })
  const text = JSON.stringify(stored)
  // biome-ignore lint/correctness/useExhaustiveDependencies: when what is stored has changed, and not with every object that says the same
  useEffect(() => {
    if (form.isDirty()) return
    form.setInitialValues(stored)
    form.reset()
  }, [text])
  return form
}

/** What was changed, and nothing else: someone else may have changed the rest since it was read. */
export function changesOf<Body extends object>(before: Body, after: Body): Partial<Body> {
  const others = before as Record<string, unknown>
  const changed = Object.entries(after).flatMap(([name, value]): [string, unknown][] => {
    if (JSON.stringify(others[name]) === JSON.stringify(value)) return []
    return [[name, isObject(value) && isObject(others[name]) ? changesOf(others[name], value) : value]]
  })
  return Object.fromEntries(changed) as Partial<Body>
}
