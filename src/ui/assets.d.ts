/** esbuild imports it as text. */
declare module "*.svg" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: a text file has no named exports
  export default text;
}

/** The package has no types; these are the options in use. */
declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  const SwaggerUi: (options: {
    domNode: HTMLElement;
    url: string;
    deepLinking: boolean;
    docExpansion: "none";
    filter: boolean;
    tagsSorter: "alpha";
    validatorUrl: null;
  }) => void;
  // biome-ignore lint/style/noDefaultExport: the package has a default export
  export default SwaggerUi;
}
