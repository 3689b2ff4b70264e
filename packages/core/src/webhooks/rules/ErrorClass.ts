/** Why an endpoint gave no acknowledgement (specification, "Webhook test result"). */
export const errorClasses = ["dns_error", "timeout", "connect_error", "tls_error", "http_error"] as const

export type ErrorClass = (typeof errorClasses)[number]
