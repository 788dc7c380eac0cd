// Which deliveries are left of an email; in SQL, as a part of larger statements. A delivery has the id of its recipient.

/** The open deliveries of an email `e`. */
export const OPEN_DELIVERIES = 'select from recipients of_email join deliveries d on d.id = of_email.id where of_email.email_id = e.id'
