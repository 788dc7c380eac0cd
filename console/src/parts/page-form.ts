// What every form that is a page needs: its values, the act that sends them, and the page that is opened then.
import { type UseFormInput, type UseFormReturnType, useForm } from '@mantine/form'
import { type Act, useAct } from '../api/acts'
import { useGo } from '../shell/address'

export type PageFormOptions<Values extends Record<string, unknown>, Output> = Omit<Act<Values, Output>, 'isSilent' | 'onDone'> & {
  initialValues: NoInfer<Values>
  validate?: NonNullable<UseFormInput<NoInfer<Values>>['validate']>
  onDone?: (output: Output) => void
  /** The page that is opened once it is saved. */
  to: string | ((output: Output) => string)
  /** Where cancel leads. */
  back: string
}

export type PageFormState<Values extends Record<string, unknown>> = {
  form: UseFormReturnType<Values>
  onSubmit: (values: Values) => void
  /** What the API refused, in its own words. */
  error: Error | null
  isBusy: boolean
  back: string
}

/** Makes the props of the `PageForm`. What was typed stays until the API has accepted it. */
export function usePageForm<Values extends Record<string, unknown>, Output = unknown>({
  initialValues,
  validate,
  onDone,
  to,
  back,
  ...act
}: PageFormOptions<Values, Output>): PageFormState<Values> {
  const go = useGo()
  const form = useForm<Values>({ initialValues, ...(validate && { validate }) })
  const save = useAct<Values, Output>({
    ...act,
    isSilent: true,
    onDone: (output) => {
      onDone?.(output)
      form.resetDirty()
      go(typeof to === 'function' ? to(output) : to)
    },
  })
  return { form, onSubmit: save.mutate, error: save.error, isBusy: save.isPending, back }
}
