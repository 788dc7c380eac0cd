// Changing: one act at a time, said when it is done, and said with the API's own sentence when it was refused. What asks for a confirmation gets one.
import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { notifyDone, notifyError } from '../parts/notices'
import { confirmItIsYou } from '../session/confirmation'
import { SESSION_TEXTS } from '../texts/session'
import { ApiError } from './client'
import { queryClient } from './queries'

export type Act<Input, Output> = {
  /** Calls the API: `(input) => answer(api.POST(...))`. */
  run: (input: Input) => Promise<Output>
  /** What is said afterwards; nothing if it is left out. */
  done?: string | ((output: Output, input: Input) => string | undefined)
  /** The sections (the first part of a path) whose records have changed. */
  changes: readonly string[]
  onDone?: (output: Output, input: Input) => void
  /** A form shows errors beside its fields. */
  isSilent?: boolean
}

export function useAct<Input = void, Output = unknown>({
  run,
  done,
  changes,
  onDone,
  isSilent,
}: Act<Input, Output>): UseMutationResult<Output, Error, Input> {
  return useMutation({
    mutationFn: async (input: Input) => {
      try {
        return await run(input)
      } catch (error) {
        if (!(error instanceof ApiError) || error.kind !== 'confirmation_required') throw error
        if (!(await confirmItIsYou())) throw new ApiError(SESSION_TEXTS.notConfirmed, error)
        return run(input)
      }
    },
    onSuccess: (output, input) => {
      for (const section of changes) void queryClient.invalidateQueries({ queryKey: [section] })
      const message = typeof done === 'function' ? done(output, input) : done
      if (message !== undefined) notifyDone(message)
      onDone?.(output, input)
    },
    onError: (error) => {
      if (!isSilent) notifyError(error)
    },
  })
}
