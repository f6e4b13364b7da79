/* host_config: nothing to configure. */
