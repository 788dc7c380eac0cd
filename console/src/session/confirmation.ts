// Some acts ask whether it is really the person who is signed in. The act waits for the answer here; the dialog gives it.
type Question = (isConfirmed: boolean) => void

let open: ((question: Question) => void) | null = null

/** The dialog says that it is there. */
export const onConfirmation = (show: ((question: Question) => void) | null): void => {
  open = show
}

/** True once the person has confirmed; false if they closed the dialog. */
export const confirmItIsYou = (): Promise<boolean> =>
  new Promise((resolve) => {
    if (open === null) resolve(false)
    else open(resolve)
  })
